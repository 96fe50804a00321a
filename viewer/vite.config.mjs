// Makes viewer/bundle/index.html: one file with script and style inside, the hash of its sources, the licences of
// the libraries, and a content security policy that allows this script alone and no request to another host.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const LIBRARIES = ['three', 'lit', 'uplot'];

function licences() {
  return LIBRARIES.map((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
    return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}`;
  }).join('\n\n----\n\n').replaceAll('--', '- -');
}

function policy(script) {
  const hash = createHash('sha256').update(script).digest('base64');
  return ["default-src 'none'", `script-src 'sha256-${hash}'`, "style-src 'unsafe-inline'", "img-src 'self' data: blob:", "media-src blob:",
    "connect-src 'self'", "base-uri 'none'", "form-action 'none'"].join('; ');
}

function oneFile() {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      let script = '', style = '';
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') script += part.code;
        else if (name.endsWith('.css')) style += part.source;
        else if (name === 'index.html') continue;
        else throw new Error(`${name} does not fit into one file`);
        delete bundle[name];
      }
      script = script.trim().replaceAll('</script', '<\\/script');
      const sources = execFileSync('./sources-hash', { encoding: 'utf8' }).trim();
      page.source = page.source
        .replace(/\s*<script[^>]*src=[^>]*><\/script>/g, '')
        .replace(/\s*<link[^>]*rel="(stylesheet|modulepreload)"[^>]*>/g, '')
        .replace('<meta charset="utf-8">', (tag) => `${tag}\n<meta http-equiv="Content-Security-Policy" content="${policy(script)}">\n<meta name="divan-sources" content="${sources}">`)
        .replace('</head>', () => `<style>${style}</style>\n<!--\n${licences()}\n-->\n</head>`)
        .replace('</body>', () => `<script type="module">${script}</script>\n</body>`);
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [oneFile()],
  build: {
    outDir: 'bundle',
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1e6,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
});

// The Stats tab: curves of a robot or a heart, time per step, where it goes, convergence, constraints, energies, who touches whom, watched values, inventory.
import { css, html, nothing } from 'lit';
import { flameColour, flatten, timerTree, type Timer } from './flame.ts';
import { icon } from './icons.ts';
import type { RobotColumn } from '../protocol.ts';
import { baseName, download, number, Part } from './part.ts';
import './loop.ts';
import './plot.ts';
import { shared } from './styles.ts';

const SHOWN = 1200;            // points of a curve

// Every n-th point, so that a curve has at most SHOWN of them; the last one is always there.
function thin(columns: number[][]): number[][] {
  const n = columns[0].length;
  if (n <= SHOWN) return columns.map((c) => c.slice());
  const by = Math.ceil(n / SHOWN);
  return columns.map((c) => c.filter((_, i) => i % by === 0 || i === n - 1));
}

// A little above nearly all values: a single slow step must not flatten the curve.
function usual(values: number[]): number {
  const sorted = values.slice(-SHOWN).sort((a, b) => a - b);
  return 1.4 * (sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 1);
}

const isChamber = (c: RobotColumn) => c.group === 'pressure' || c.group === 'volume';

export class StatsTab extends Part {
  static override styles = [shared, css`
    :host { display: block; }
    .tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 6px; padding: 10px 12px; border-bottom: 1px solid var(--line); }
    .tile { padding: 6px 8px; border: 1px solid var(--line); border-radius: 7px; background: var(--raised); min-width: 0; }
    .tile b { display: block; font: 600 14px/1.3 var(--mono); font-variant-numeric: tabular-nums; overflow: hidden; text-overflow: ellipsis; }
    .tile span { color: var(--muted); font-size: 11px; }
    .flame { position: relative; margin: 4px 0 8px; }
    .bar { position: absolute; height: 17px; box-shadow: inset 0 0 0 .5px var(--panel); border-radius: 2px; overflow: hidden; white-space: nowrap; font-size: 10.5px; line-height: 17px; color: #2b1a08; text-indent: 3px; }
    table { width: 100%; border-collapse: collapse; }
    th { position: sticky; top: 0; background: var(--panel); text-align: right; font-weight: 500; color: var(--muted); font-size: 11px; }
    th:first-child, td:first-child { text-align: left; max-width: 0; width: 60%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    td { padding: 1.5px 0 1.5px 6px; text-align: right; border-top: 1px solid var(--line); }
    .tablebox { max-height: 240px; }
    .inventory { display: grid; grid-template-columns: 1fr auto; gap: 3px 10px; margin-top: 4px; }
    .inventory b { font: 500 11.5px var(--mono); text-align: right; }
    ul { list-style: none; margin: 4px 0; padding: 0; }
    li { display: flex; align-items: center; gap: 6px; min-height: 24px; }
    li i { width: 9px; height: 9px; border-radius: 2px; flex: none; }
    li input { width: 58px; }
    p { margin: 4px 0; }
    .over { margin: 10px 0 2px; }      /* what the plot below shows */
    .tile span { white-space: nowrap; }
    .buttons { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 6px; }
    summary .mono { margin-left: auto; color: var(--muted); }
  `];
  protected override topics = ['stats', 'status', 'settings', 'connection'] as any;
  private lastRender = 0;
  private late = 0;

  override connectedCallback() { super.connectedCallback(); this.session.switchStats(true); }
  override disconnectedCallback() { super.disconnectedCallback(); this.session.switchStats(false); }

  // Curves need not follow every message: four times a second is enough, and leaves the time to the picture.
  protected override shouldUpdate() {
    const now = performance.now();
    if (now - this.lastRender >= 250) { this.lastRender = now; return true; }
    if (!this.late) this.late = window.setTimeout(() => { this.late = 0; this.requestUpdate(); }, 260 - (now - this.lastRender));
    return false;
  }

  private tile(value: string, label: string) { return html`<div class="tile"><b title=${value}>${value}</b><span>${label}</span></div>`; }

  private flame(root: Timer) {
    const all = flatten(root), total = root.ms || 1, depth = Math.max(1, ...all.map((t) => t.depth));
    return html`<div class="flame" role="img" aria-label="flame chart: time of a step, ${number(total, 3)} milliseconds" style="height:${depth * 18}px">${all.filter((t) => t.ms / total > 0.002).map((t) => html`<div class="bar" title="${t.path}&#10;${number(t.ms, 3)} ms, ${number((100 * t.ms) / total, 3)} %"
      style="left:${(100 * t.start) / total}%;width:${(100 * t.ms) / total}%;top:${(t.depth - 1) * 18}px;background:${flameColour(t.name)}">${t.ms / total > 0.05 ? t.name : ''}</div>`)}</div>
      <div class="tablebox scroll" tabindex="0" aria-label="timers"><table><thead><tr><th>phase or component</th><th>ms</th><th>own</th><th>%</th></tr></thead><tbody>
        ${all.map((t) => html`<tr><td style="padding-left:${(t.depth - 1) * 12}px" title=${t.path}>${t.name}</td><td class="mono">${t.ms.toFixed(t.ms < 1 ? 3 : 2)}</td><td class="mono muted">${t.self.toFixed(t.self < 1 ? 3 : 2)}</td><td class="mono">${((100 * t.ms) / total).toFixed(0)}</td></tr>`)}</tbody></table></div>`;
  }

  private csv(name: string, heads: string[], columns: number[][]) {
    const rows = columns[0].map((_, i) => columns.map((c) => c[i] ?? '').join(','));
    download(`${baseName(this.session)}-${name}.csv`, [heads.map((h) => `"${h.replaceAll('"', '""')}"`).join(','), ...rows].join('\n') + '\n', 'text/csv');
  }

  private fold(title: string, value: string, body: unknown, open = true) {
    return html`<details class="part" ?open=${open}><summary><h3>${title}</h3><span class="mono">${value}</span></summary>${body}</details>`;
  }

  private watched() {
    const s = this.session, labels = s.watchItems.map((w) => `${w.path.split('/').pop()}.${w.field}[${w.index}]`);
    const change = (i: number, e: Event) => {
      const v = Math.round(Number((e.target as HTMLInputElement).value));
      if (v >= 0) s.setWatch(s.watchItems.map((w, k) => (k === i ? { ...w, index: v } : w)));
    };
    return html`<ul>${s.watchItems.map((w, i) => html`<li><i style="background:${['#3a7bd5', '#e0633c', '#3fae78', '#a678d8', '#d9a321', '#2aa6a0', '#e0486a', '#7c8ce0'][i % 8]}"></i><span class="clip grow mono" title="${w.path}.${w.field}">${w.path}.${w.field}</span>
        <input class="mono" type="number" min="0" aria-label="which number of ${w.field}" title="which number of the field" .value=${String(w.index)} @change=${(e: Event) => change(i, e)}>
        <span class="mono muted">${number(s.watch.values[i]?.[s.watch.values[i].length - 1] ?? NaN)}</span>
        <button class="small icon" aria-label="Do not watch ${w.field}" title="Remove" @click=${() => s.setWatch(s.watchItems.filter((_, k) => k !== i))}>${icon('close')}</button></li>`)}</ul>
      ${s.watchItems.length ? html`<divan-plot .data=${thin([s.watch.time, ...s.watch.values])} .labels=${labels} .height=${170}></divan-plot>
        <div class="buttons"><button class="solid small" ?disabled=${s.watch.time.length === 0} @click=${() => this.csv('watched', ['time', ...s.watchItems.map((w) => `${w.path}.${w.field}[${w.index}]`)], [s.watch.time, ...s.watch.values])}>${icon('download')} CSV</button></div>`
        : html`<p class="muted">The plot button next to a field in the Graph tab puts its value here.</p>`}`;
  }

  // What the solver of constraints did in its last solve, and from step to step.
  private constraints() {
    const c = this.session.constraints, positive = (values: number[]) => values.map((v) => (v > 0 ? v : null));
    return html`${c.values.length ? html`<p class="muted over">error after each iteration of the last step</p>
        <divan-plot class="residual" .data=${[c.values.map((_, i) => i + 1), positive(c.values)]} .labels=${['error']} .log=${true} .xLabel=${'iteration'}></divan-plot>` : html`<p class="muted">Nothing to solve in the last step.</p>`}
      ${c.time.length > 1 ? html`<divan-plot class="effort" .data=${thin([c.time, c.rows, c.iterations])} .labels=${['rows', 'iterations']} .height=${150}></divan-plot>
        <p class="muted over">largest force of a row (N) over time</p>
        <divan-plot class="force" .data=${thin([c.time, c.force])} .labels=${['largest force (N)']}></divan-plot>
        <div class="buttons"><button class="solid small" @click=${() => this.csv('constraints', ['time', 'rows', 'iterations', 'error', 'force'], [c.time, c.rows, c.iterations, c.error, c.force])}>${icon('download')} CSV</button></div>` : nothing}`;
  }

  // Effectors and actuators, or chambers of a heart, over time: one plot for what has the same unit.
  private curves(name: string, ours: (column: RobotColumn) => boolean, more: unknown = nothing) {
    const r = this.session.robot, columns = r.columns.filter(ours), kinds = [...new Set(columns.map((c) => `${c.group} ${c.unit}`))];
    const titles = { error: 'distance from the goal', effector: 'effectors and their goals', force: 'actuators', stroke: 'how far actuators have gone', pressure: 'pressure', volume: 'volume' };
    if (r.time.length < 2 || !columns.length) return nothing;
    return this.fold(name, '', html`${kinds.map((kind) => {
      const [group, unit] = kind.split(' '), own = r.columns.map((_, i) => i).filter((i) => `${r.columns[i].group} ${r.columns[i].unit}` === kind);
      return html`<p class="muted over">${titles[group as keyof typeof titles]} (${unit === 'm3' ? 'm³' : unit})</p>
        <divan-plot class="robot-${group}" .data=${thin([r.time, ...own.map((i) => r.values[i])] as number[][])} .labels=${own.map((i) => r.columns[i].label)} .height=${group === 'effector' ? 190 : 150}></divan-plot>`;
    })}${more}
      <div class="buttons"><button class="solid small" @click=${() => this.csv(name.toLowerCase(), ['time', ...columns.map((c) => `${c.group} ${c.label} (${c.unit})`)], [r.time, ...r.values.filter((_, i) => ours(r.columns[i]))] as number[][])}>${icon('download')} CSV</button></div>`);
  }

  // Pressure over volume of each chamber: the first pressure of a chamber is that of its blood, its volume follows.
  private loops() {
    const r = this.session.robot, volumes = r.columns.map((_, i) => i).filter((i) => r.columns[i].group === 'volume');
    const lines = volumes.map((i) => {
      const label = r.columns[i].label.replace(/ volume$/, ''), p = r.columns.findIndex((c) => c.label === `${label} pressure`), [x, y] = thin([r.values[i], r.values[p]] as number[][]);
      return { label, x, y };
    });
    return html`<p class="muted over">pressure (Pa) over volume (ml)</p><divan-loop .lines=${lines}></divan-loop>`;
  }

  // A row selects the first of its models.
  private touches() {
    const s = this.session, name = (path: string) => path.split('/').slice(-2).join('/');
    return html`<div class="tablebox scroll" tabindex="0" aria-label="who touches whom"><table class="touches"><thead><tr><th>models</th><th>contacts</th><th>distance (m)</th><th>force (N)</th></tr></thead><tbody>
      ${s.touches.map((t) => html`<tr title="${t.first}&#10;${t.second}${t.since < 0 ? '' : `&#10;since step ${t.since}`}" @click=${() => s.select(t.first)}><td>${name(t.first)} – ${name(t.second)}</td><td class="mono">${t.count}</td><td class="mono">${t.distance === null ? '' : number(t.distance, 3)}</td><td class="mono">${t.force === null ? '–' : number(t.force, 3)}</td></tr>`)}</tbody></table></div>`;
  }

  override render() {
    const s = this.session, st = s.status, tree = timerTree(s.timers);
    const curve = s.convergence.filter((c) => c.values.length);
    const longest = Math.max(0, ...curve.map((c) => c.values.length));
    const count = Array.from({ length: longest }, (_, i) => i);
    return html`<div class="tiles">${this.tile(number(st.msPerStep, 3), 'ms/step')}${this.tile(number(st.rate, 3), 'steps/s')}${this.tile('×' + number(st.rtf, 3), 'real time')}${this.tile(String(st.step), 'steps')}</div>
      ${this.curves('Heart', isChamber, this.loops())}${this.curves('Robot', (c) => !isChamber(c))}
      ${this.fold('Time per step', `${number(st.msPerStep, 3)} ms`, s.steps.x.length > 1 ? html`<divan-plot .data=${thin([s.steps.x, s.steps.y])} .labels=${['ms']} .top=${usual(s.steps.y)}></divan-plot>
        <div class="buttons"><button class="solid small" @click=${() => this.csv('steps', ['time', 'ms'], [s.steps.x, s.steps.y])}>${icon('download')} CSV</button></div>` : html`<p class="muted">Animate to see the time of each step.</p>`)}
      ${this.fold('Where the time goes', '', html`<label class="row muted" title="timers around every call of a component: costs a little time"><input type="checkbox" .checked=${s.settings.fine} @change=${(e: Event) => { s.set({ fine: (e.target as HTMLInputElement).checked }); s.sendStats(); }}>every component</label>
        ${s.timers.size ? this.flame(tree) : html`<p class="muted">No step yet.</p>`}`)}
      ${curve.length ? this.fold('Solver convergence', `${longest} iterations`, html`<divan-plot .data=${[count, ...curve.map((c) => count.map((i) => (c.values[i] > 0 ? c.values[i] : null)))]} .labels=${curve.map((c) => c.path.split('/').slice(-2).join('/'))} .log=${true} .xLabel=${'iteration'}></divan-plot>`) : nothing}
      ${s.constraints.path ? this.fold('Constraints', s.constraints.rows.length ? `${s.constraints.rows[s.constraints.rows.length - 1]} rows, ${s.constraints.iterations[s.constraints.iterations.length - 1]} iterations` : '', this.constraints()) : nothing}
      ${s.energy.time.length > 1 ? this.fold('Energy', `${number(s.energy.kinetic[s.energy.kinetic.length - 1] + s.energy.potential[s.energy.potential.length - 1])} J`, html`<divan-plot .data=${thin([s.energy.time, s.energy.kinetic, s.energy.potential, s.energy.kinetic.map((k, i) => k + s.energy.potential[i])])} .labels=${['kinetic', 'potential', 'sum']} .height=${160}></divan-plot>
        <div class="buttons"><button class="solid small" @click=${() => this.csv('energy', ['time', 'kinetic', 'potential'], [s.energy.time, s.energy.kinetic, s.energy.potential])}>${icon('download')} CSV</button></div>`) : nothing}
      ${s.touches.length ? this.fold('Contacts', String(s.touches.reduce((n, t) => n + t.count, 0)), this.touches()) : nothing}
      ${this.fold('Watched values', s.watchItems.length ? String(s.watchItems.length) : '', this.watched())}
      ${this.fold('Inventory', '', html`<div class="inventory">${Object.entries(s.inventory).map(([k, v]) => html`<span>${k}</span><b>${v.toLocaleString('en')}</b>`)}</div>${Object.keys(s.inventory).length ? nothing : html`<p class="muted">Nothing counted yet.</p>`}`)}
      ${this.fold('State', '', html`<div class="buttons"><button class="solid small" ?disabled=${!s.editor} title="writes the states of all bodies next to the scene" @click=${() => s.dump()}>${icon('save')} Dump the state</button>
        <button class="solid small" @click=${() => s.clearHistory()}>Clear curves</button></div>`)}`;
  }
}
customElements.define('divan-stats-tab', StatsTab);

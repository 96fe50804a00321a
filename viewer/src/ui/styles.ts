// What all parts of the page share: buttons, inputs, small text, focus rings.
import { css } from 'lit';

export const shared = css`
  :host { box-sizing: border-box; }
  *, *::before, *::after { box-sizing: inherit; }
  [hidden] { display: none !important; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  button { font: inherit; color: inherit; }
  select, input, textarea { font: inherit; color: var(--text); }
  button {
    display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 28px; padding: 0 9px;
    border: 1px solid transparent; border-radius: 6px; background: transparent; cursor: pointer; white-space: nowrap;
  }
  button:hover:not(:disabled) { background: var(--hover); }
  button:disabled { opacity: .4; cursor: default; }
  button.solid { border-color: var(--line); background: var(--raised); }
  button.solid:hover:not(:disabled) { border-color: var(--line-strong); background: var(--hover); }
  button.primary { background: var(--accent); color: var(--accent-text); font-weight: 600; }
  button.primary:hover:not(:disabled) { background: var(--accent); filter: brightness(1.08); }
  button.danger { color: var(--bad); }
  button.on { background: var(--accent-soft); color: var(--accent); }
  button.icon { width: 28px; padding: 0; flex: none; }
  button.small { min-height: 22px; padding: 0 6px; font-size: 11.5px; }
  button.small.icon { width: 22px; padding: 0; }
  input:not([type]), input[type=text], input[type=number], input[type=search], select, textarea {
    min-height: 26px; min-width: 0; padding: 2px 7px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised);
  }
  textarea { padding: 5px 7px; resize: vertical; line-height: 1.35; }
  input:hover:not(:disabled), select:hover:not(:disabled), textarea:hover { border-color: var(--line-strong); }
  input:focus-visible, select:focus-visible, textarea:focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; }
  input:disabled, select:disabled, textarea:read-only { color: var(--muted); background: transparent; }
  input[type=checkbox], input[type=range] { accent-color: var(--accent); margin: 0; }
  input[type=checkbox] { width: 14px; height: 14px; flex: none; }
  input[type=color] { width: 30px; height: 26px; padding: 2px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); flex: none; }
  .mono { font-family: var(--mono); font-size: 11.5px; font-variant-numeric: tabular-nums; }
  .muted { color: var(--muted); }
  .row { display: flex; align-items: center; gap: 6px; }
  .grow { flex: 1; min-width: 0; }
  .scroll { overflow: auto; scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; }
  .clip { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  kbd { display: inline-block; min-width: 20px; padding: 0 5px; border: 1px solid var(--line-strong); border-bottom-width: 2px; border-radius: 4px;
    background: var(--raised); font: 11px/18px var(--mono); text-align: center; }
  h3 { margin: 0; font-size: 11px; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--muted); }
  section, details.part { padding: 10px 12px; border-bottom: 1px solid var(--line); }
  details.part > summary { display: flex; align-items: center; gap: 6px; margin: -10px -12px; padding: 9px 12px; cursor: pointer; list-style: none; user-select: none; border-radius: 4px; }
  details.part > summary::-webkit-details-marker { display: none; }
  details.part > summary::before { content: ''; width: 6px; height: 6px; border: solid var(--muted); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); transition: transform .12s; }
  details.part[open] > summary::before { transform: rotate(45deg); }
  details.part[open] > summary { margin-bottom: 0; }
  .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .empty { padding: 18px 12px; color: var(--muted); text-align: center; }
  dialog { max-width: min(560px, calc(100vw - 24px)); width: 560px; max-height: min(80vh, 680px); padding: 0; border: 1px solid var(--line); border-radius: 10px;
    background: var(--panel); color: var(--text); box-shadow: var(--shadow); overflow: hidden; }
  dialog[open] { display: flex; flex-direction: column; }
  dialog::backdrop { background: rgba(10, 14, 20, .35); }
  dialog header { display: flex; align-items: center; gap: 8px; padding: 12px 14px; border-bottom: 1px solid var(--line); }
  dialog header h2 { margin: 0; flex: 1; font-size: 14px; font-weight: 600; }
  dialog footer { display: flex; justify-content: flex-end; gap: 8px; padding: 10px 14px; border-top: 1px solid var(--line); }
  @media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
  @media (pointer: coarse) { button { min-height: 40px; } button.icon { width: 40px; } .banner button.small { min-height: 40px; padding: 0 12px; } }
`;

// What a run has left behind, for curves and tables: times of steps, energies, convergence, contacts, watched values.
import type { RobotColumn, Robot, Solves, Stats, Touch, WatchItem } from './protocol.ts';
import { Seen } from './seen.ts';

export interface Series { x: number[]; y: number[] }

const SERIES_LIMIT = 5000;

function push(series: Series, x: number, y: number) {
  series.x.push(x);
  series.y.push(y);
  if (series.x.length > SERIES_LIMIT) { series.x.splice(0, SERIES_LIMIT / 5); series.y.splice(0, SERIES_LIMIT / 5); }
}

export abstract class History extends Seen {
  steps: Series = { x: [], y: [] };
  energy = { time: [] as number[], kinetic: [] as number[], potential: [] as number[] };
  timers = new Map<string, number>();
  convergence: { path: string; values: number[] }[] = [];
  constraints = { path: '', values: [] as number[], time: [] as number[], rows: [] as number[], iterations: [] as number[], error: [] as number[], force: [] as number[] };
  robot = { columns: [] as RobotColumn[], time: [] as number[], values: [] as (number | null)[][] };
  inventory: Record<string, number> = {};
  touches: Touch[] = [];                       // who touches whom
  watchItems: WatchItem[] = [];
  watch = { time: [] as number[], values: [] as number[][] };

  protected abstract now(): number;            // simulated time

  protected addStats(stats: Stats) {
    for (const [time, ms] of stats.steps ?? []) push(this.steps, time, ms);
    const time = stats.steps?.length ? stats.steps[stats.steps.length - 1][0] : this.now();
    if (stats.timers && Object.keys(stats.timers).length) {
      const old = this.timers;
      this.timers = new Map(Object.entries(stats.timers).map(([name, ms]) => [name, old.has(name) ? 0.7 * old.get(name)! + 0.3 * ms : ms]));
    }
    if (stats.energy && this.energy.time[this.energy.time.length - 1] !== time) {
      this.energy.time.push(time);
      this.energy.kinetic.push(stats.energy.kinetic);
      this.energy.potential.push(stats.energy.potential);
    }
    if (stats.convergence?.length) this.convergence = stats.convergence;
    if (stats.constraints) this.addSolves(stats.constraints);
    if (stats.robot) this.addRobot(stats.robot);
    if (stats.inventory) this.inventory = stats.inventory;
    if (stats.touches) this.touches = stats.touches;
    for (const row of stats.watch ?? []) {
      if (row.length !== this.watchItems.length + 1) continue;
      if (row[0] === this.watch.time[this.watch.time.length - 1]) continue;
      this.watch.time.push(row[0]);
      this.watchItems.forEach((_, i) => this.watch.values[i].push(row[i + 1]));
    }
    this.notify('stats');
  }

  private addSolves(solves: Solves) {
    const c = this.constraints;
    c.path = solves.path;
    c.values = solves.values;
    for (const [time, rows, iterations, error, force] of solves.steps) {
      if (time === c.time[c.time.length - 1]) continue;
      c.time.push(time);
      c.rows.push(rows);
      c.iterations.push(iterations);
      c.error.push(error);
      c.force.push(force);
    }
  }

  private addRobot(robot: Robot) {
    const r = this.robot, key = (columns: RobotColumn[]) => columns.map((c) => `${c.group} ${c.label}`).join();
    if (key(r.columns) !== key(robot.columns)) this.robot = { columns: robot.columns, time: [], values: robot.columns.map(() => []) };
    for (const [time, ...values] of robot.steps) {
      if (time === null || time === this.robot.time[this.robot.time.length - 1]) continue;
      this.robot.time.push(time);
      values.forEach((v, i) => this.robot.values[i].push(v));
    }
  }

  clearHistory() {
    this.steps = { x: [], y: [] };
    this.energy = { time: [], kinetic: [], potential: [] };
    this.timers = new Map();
    this.convergence = [];
    this.constraints = { path: '', values: [], time: [], rows: [], iterations: [], error: [], force: [] };
    this.robot = { columns: [], time: [], values: [] };
    this.touches = [];
    this.watch = { time: [], values: this.watchItems.map(() => []) };
    this.notify('stats');
  }
}

// One WebSocket to the program that served the page: requests with answers, news, frames. A lost connection is
// taken up again by itself, with growing pauses.
import { parseFrame, type Frame } from './protocol.ts';

export class RequestError extends Error {
  advice: string;
  constructor(text: string, advice = '') { super(text); this.advice = advice; }
}

interface Waiting { resolve: (answer: any) => void; reject: (error: Error) => void }

const FIRST_PAUSE = 400, LONGEST_PAUSE = 5000;

export class Connection {
  attempts = 0;
  onOpen: () => void = () => {};
  onLost: () => void = () => {};
  onNews: (news: any) => void = () => {};
  onFrame: (frame: Frame) => void = () => {};

  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private timer = 0;

  private url: string;
  constructor(url: string) { this.url = url; }

  connect() {
    clearTimeout(this.timer);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => { this.attempts = 0; this.onOpen(); };
    socket.onclose = () => { if (this.socket === socket) this.lost(); };
    socket.onmessage = (event) => this.receive(event.data);
  }

  // Not while it is being closed: what is asked for then fails as when it is lost.
  get open() { return this.socket?.readyState === WebSocket.OPEN; }

  // An answer never comes twice; a request without connection fails at once.
  request<T = any>(verb: string, more: object = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.open) { reject(new RequestError('not connected')); return; }
      const id = this.next++;
      this.waiting.set(id, { resolve, reject });
      this.socket!.send(JSON.stringify({ do: verb, id, ...more }));
    });
  }

  // For verbs without answer.
  tell(verb: string, more: object = {}) {
    if (this.open) this.socket!.send(JSON.stringify({ do: verb, id: this.next++, ...more }));
  }

  private lost() {
    this.socket = null;
    for (const w of this.waiting.values()) w.reject(new RequestError('the connection was lost'));
    this.waiting.clear();
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 1.6 ** this.attempts);
    this.attempts++;
    this.timer = window.setTimeout(() => this.connect(), pause);
    this.onLost();
  }

  private receive(data: string | ArrayBuffer) {
    if (typeof data !== 'string') {
      try { this.onFrame(parseFrame(data)); } catch (error) { console.error(error); }
      return;
    }
    let message: any;
    try { message = JSON.parse(data); } catch { console.error('not JSON:', data.slice(0, 200)); return; }
    if (message.re === undefined) { if (message.is) this.onNews(message); return; }
    const waiting = this.waiting.get(message.re);
    if (!waiting) {
      if (message.error) this.onNews({ is: 'message', level: 'warning', text: message.error, advice: message.advice });
      return;
    }
    this.waiting.delete(message.re);
    if (message.error) waiting.reject(new RequestError(message.error, message.advice));
    else waiting.resolve(message);
  }
}

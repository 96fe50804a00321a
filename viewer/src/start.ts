// The socket stands next to the page.
import { Modeler } from './modeler.ts';
import { Session } from './session.ts';
import { page } from './ui/part.ts';

const address = new URL('socket', location.href.replace(/[?#].*$/, ''));
address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
page.session = new Session(address.href);
page.modeler = new Modeler(page.session);
(window as any).divan = page;          // for the console and for tests

// The addresses of an object that a browser can open. A service reports them, so they can be anything.
import { isJsonObject } from '../../../lib/json.ts';
import { cut, textOf } from './text.ts';

const mostLinks = 20;
const longestUrl = 2_048;
const longestName = 256;

interface Link {
  readonly name: string;
  readonly url: string;
}

/** `status.endpoints` of a Cluster, and `status.urls` of a JobExecution. */
export function linksOf(status: unknown): readonly Link[] {
  if (!isJsonObject(status)) return [];
  const { endpoints, urls } = status;
  const ofCluster = (Array.isArray(endpoints) ? endpoints : []).filter(isJsonObject).map(linkOfEndpoint);
  const ofRun = Object.entries(isJsonObject(urls) ? urls : {}).map(([name, url]) => ({ name, url: String(url) }));
  return [...ofCluster, ...ofRun]
    .filter(({ url }) => isOpenable(url))
    .slice(0, mostLinks)
    .map(({ name, url }) => ({ name: cut(name, longestName), url }));
}

function linkOfEndpoint({ target, name, url }: Readonly<Record<string, unknown>>): Link {
  const names = [target, name].map((one) => textOf(one, longestName)).filter((one) => one !== '');
  return { name: names.join(' '), url: typeof url === 'string' ? url : '' };
}

function isOpenable(url: string): boolean {
  if (url.length > longestUrl || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

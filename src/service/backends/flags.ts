// The flags of clusters and jobs that are real, wherever they run. PURE.
import { z } from 'zod';
import { flagsWith, numberFlag, readAs } from '../../lib/flags.ts';
import { isNetwork } from '../../lib/http/networks.ts';

const network = readAs('a network such as 10.0.0.0/8', (text) => (isNetwork(text) ? text : undefined));

/** An address of the web with nothing in it that can be a secret. */
function isPublicAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
}

/** The message repeats nothing, because the text may contain a password. */
export const webAddress = (wanted: string) =>
  z.string().refine(isPublicAddress, { error: `must be the URL of ${wanted}, without a user` });

export const realFlags = {
  'log-bytes': numberFlag(1000, 1e15 - 1, 'how much of the output of a job is kept', 16 * 1024 ** 2),
  ...flagsWith(
    { flag: 'provisioner', values: ['processes', 'kubernetes'] },
    {
      'allow-fetch-from': {
        schema: network,
        value: 'CIDR',
        repeatable: true,
        help: 'a network from which the files of jobs can be fetched, although it is link-local or part of the Kubernetes cluster; default: 127.0.0.0/8 and ::1/128 with --provisioner processes, otherwise none',
      },
      'deny-fetch-from': {
        schema: network,
        value: 'CIDR',
        repeatable: true,
        help: 'a network from which they cannot be fetched, such as that of the pods and Services of the Kubernetes cluster',
      },
      'history-url': {
        schema: webAddress('a page such as https://history.example'),
        value: 'URL',
        help: 'the page of a history server that outlives clusters: a link of each run whose event log outlives its cluster; default: none',
      },
      'engine-metrics': {
        help: 'processes of clusters and programs of jobs serve metrics for Prometheus at the ports of their web pages, where their engine can',
      },
      'maven-repository': {
        schema: webAddress('a Maven repository such as https://maven.example/central'),
        value: 'URL',
        help: 'the repository from which Maven gets the packages of jobs, with all that they need and its own plugins; default: none, so that jobs with packages are refused',
      },
      'python-index': {
        schema: webAddress('a package index such as https://python.example/simple'),
        value: 'URL',
        help: 'the index from which pip gets the Python packages of jobs (edp.python.requirements), wheels only; default: none, so that jobs with requirements are refused',
      },
      'flavors-file': {
        value: 'FILE',
        help: 'the flavors, YAML or JSON: cores, memory and disk of machines and jobs, their tenants, and settings of their pods; default: 1 to 5, with 1 to 16 GiB of memory',
      },
    },
  ),
} as const;

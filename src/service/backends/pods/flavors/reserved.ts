// What a flavor cannot set, because the service or Kubernetes does: labels, variables, volumes and places in the file system. PURE.
import { engineVariables } from '../../../engines/index.ts';
import { domain, queueLabel } from '../api/names.ts';
import { machineFolder } from '../manifests/layout.ts';

const domainOf = (key: string): string => (key.includes('/') ? (key.split('/')[0] ?? '') : '');
const isIn = (part: string, whole: string): boolean => part === whole || part.endsWith(`.${whole}`);

const ofService = 'the service sets it; choose another name';
const ofKubernetes = 'Kubernetes sets it; choose another name';

const labelsOfKubernetes = ['controller-uid', 'job-name', 'pod-template-hash', 'controller-revision-hash'];
const labelDomainsOfKubernetes = /^((app|apps|batch|statefulset|node)\.)?(kubernetes|k8s)\.io$/;

/** Why no flavor can set the label. Undefined if it can. */
export function labelProblem(key: string): string | undefined {
  if (isIn(domainOf(key), domain)) return `it is in the domain ${domain}, where ${ofService}`;
  if (key === queueLabel) return 'each pod would wait alone; set queue of the flavor';
  if (labelDomainsOfKubernetes.test(domainOf(key)) || labelsOfKubernetes.includes(key))
    return `the service or ${ofKubernetes}`;
  return undefined;
}

/** Annotations that weaken the restricted Pod Security Standard are of these domains. */
const ofSecurity = /(^|\.)security\.(alpha|beta)\.kubernetes\.io$/;

export function annotationProblem(key: string): string | undefined {
  if (isIn(domainOf(key), domain)) return `it is in the domain ${domain}, where ${ofService}`;
  if (ofSecurity.test(domainOf(key)))
    return 'all pods meet the restricted Pod Security Standard, and no annotation can change that; remove it';
  if (/^(batch\.)?kubernetes\.io$/.test(domainOf(key))) return ofKubernetes;
  return undefined;
}

const ownVariables = /^(HOME|POD_(NAME|IP)|DATAPROCESSING_.*|RUN_.*|KUBERNETES_.*)$/;

export function variableProblem(name: string): string | undefined {
  const isOfEngine = engineVariables.some((beginning) => name.startsWith(beginning));
  return ownVariables.test(name) || isOfEngine ? ofService : undefined;
}

const ownVolumes = /^(machine|tmp|files|state|data\d+|run|token)$/;

export function volumeProblem(name: string): string | undefined {
  if (ownVolumes.test(name)) return ofService;
  return name.startsWith('kube-api-access') ? ofKubernetes : undefined;
}

const takenFolders = [machineFolder, '/tmp', '/files', '/run/job', '/run/token'];
const systemFolders = ['/proc', '/sys', '/dev', '/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/run/secrets'];

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** `path`: absolute, without `.`, `..` and empty parts. In images, `/var/run` usually leads to `/run`. */
export function mountProblem(path: string): string | undefined {
  const real = path.replace(/^\/var\/run(?=\/|$)/, '/run');
  const overlaps = (folder: string): boolean => isBelow(real, folder) || isBelow(folder, real);
  const taken = takenFolders.find(overlaps);
  if (taken !== undefined) return `the service mounts ${taken}; choose a folder that is neither in it nor around it`;
  const ofSystem = systemFolders.find(overlaps);
  return ofSystem && `the system mounts ${ofSystem}; choose a folder that is neither in it nor around it`;
}

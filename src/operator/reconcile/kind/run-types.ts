// What the kinds of runs tell of a run, and what its spec asks for.

/** How far a run is. stopping: it was cancelled and has not ended yet. killed: it ended because it was cancelled, or with its cluster. */
export interface RunProgress {
  readonly state: 'queued' | 'running' | 'stopping' | 'succeeded' | 'failed' | 'killed';
  /** It waits in a queue outside of the service, for any time. */
  readonly waitsInQueue?: true;
  /** How long it ran, as the difference between two times of the service: its clock and its zone are not known. */
  readonly ranMs?: number;
  /** What ended the program of a failed run, if it did not fail by itself. */
  readonly endedBy?: 'OOMKilled' | 'Evicted' | 'Signal';
  /** The exit code of its program, in words, such as `exit code 137 (SIGKILL)`. */
  readonly exit?: string;
  /** The service's own words. */
  readonly message?: string;
}

/** The settings of a run in its spec, besides what is run. */
export interface RunSettings {
  readonly cancel: boolean;
  readonly suspend: boolean;
  readonly activeDeadlineMs?: number;
  /** How many failed runs are followed by another one. */
  readonly retries: number;
  /** Another run follows one that was perhaps started and cannot be found. */
  readonly retriesUnknown: boolean;
  /** The object is deleted so long after the end. When absent: never. */
  readonly ttlMs?: number;
  /** Its own cluster is deleted so long after a failure. */
  readonly keepClusterMs: number;
}

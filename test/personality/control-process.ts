// The control port of a service that is a process of its own.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { peerOf } from '../contract/peer.ts';
import { connect, type Peer } from '../contract/support.ts';
import type { ServiceProcess } from '../service/support/process.ts';

export interface Control {
  readonly control: Peer;
  /** Where the token is. */
  readonly file: string;
}

export async function controlOf(service: ServiceProcess): Promise<Control> {
  const [, address = '', place = ''] = await service.lines(3);
  expect(address).toMatch(/^control on http:\/\/127\.0\.0\.1:\d+$/);
  const file = place.replace('control token in ', '');
  const headers = { 'x-auth-token': readFileSync(file, 'utf8').trim() };
  const anybody = connect(address.replace('control on ', ''));
  const control = peerOf({ ...anybody, send: (method, at, body) => anybody.send(method, at, body, headers) });
  return { control, file };
}

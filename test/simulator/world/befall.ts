// What goes wrong with a world from a moment on: requests and watches, the service, and the replicas themselves.
import type { Fault, Trouble } from '../plan/plan.ts';
import type { World } from './world.ts';

/** Something begins to go wrong. */
export function befall(world: World, fault: Fault): void {
  const { trouble, ms } = fault;
  world.trace(`fault ${JSON.stringify(trouble)} for ${ms}`);
  world.weather.begin(fault);
  world.scheduler.after(ms, () => world.weather.end(fault));
  switch (trouble.what) {
    case 'watches end':
      return world.cutWatches();
    case 'versions are forgotten':
      world.server.compact();
      return world.cutWatches();
    case 'service':
      return behave(world, trouble, ms);
    case 'crash':
    case 'stop':
      return fall(world, trouble, ms);
    case 'pause':
      return pause(world, trouble.replica, ms);
    default:
  }
}

function behave(world: World, { personality }: Extract<Trouble, { readonly what: 'service' }>, ms: number): void {
  const { injector } = world.service;
  injector.replace(personality);
  world.scheduler.after(ms, () => {
    for (const [name, { applied }] of Object.entries(injector.counts())) if (applied > 0) world.hit(`service ${name}`);
    injector.replace({});
  });
}

function pause(world: World, index: number, ms: number): void {
  const replica = world.replicas[index];
  if (replica === undefined) return;
  world.hit(replica.leading() ? 'pause of the leader' : 'pause');
  replica.pause();
  world.scheduler.after(ms, () => replica.resume());
}

function fall(
  world: World,
  { what, replica: index }: Extract<Trouble, { readonly what: 'crash' | 'stop' }>,
  ms: number,
): void {
  const replica = world.replicas[index];
  if (replica === undefined || !replica.alive) return;
  world.hit(`${what}${replica.leading() ? ' of the leader' : ''}`);
  if (what === 'crash') replica.kill();
  else replica.stop(() => undefined);
  world.scheduler.after(ms, () => {
    replica.kill();
    world.restart(index, replica);
  });
}

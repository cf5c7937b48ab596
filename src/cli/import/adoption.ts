// The fields with which a resource takes over an object that exists in the service, and changes nothing there yet. PURE.

/** `id`: of the object in the service. */
export function adoption(id: string): { readonly adopt: { readonly id: string }; readonly policy: 'Observe' } {
  return { adopt: { id }, policy: 'Observe' };
}

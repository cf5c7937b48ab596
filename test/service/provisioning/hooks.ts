// Notes the calls of an interface, and lets tests step in before or after what a call does.

type Hook<Order> = (order: Order) => Promise<void> | void;

export class Hooks<Method extends string, Order> {
  /** Names of the calls, in order. */
  readonly calls: string[] = [];
  readonly #before = new Map<Method, Hook<Order>>();
  readonly #after = new Map<Method, Hook<Order>>();

  before(method: Method, hook: Hook<Order>): void {
    this.#before.set(method, hook);
  }

  after(method: Method, hook: Hook<Order>): void {
    this.#after.set(method, hook);
  }

  /** From now on, nothing steps in. */
  well(): void {
    this.#before.clear();
    this.#after.clear();
  }

  protected async call<T>(method: Method, order: Order, work: () => T | Promise<T>): Promise<T> {
    this.calls.push(method);
    await this.#before.get(method)?.(order);
    const result = await work();
    await this.#after.get(method)?.(order);
    return result;
  }
}

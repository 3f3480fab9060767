// Sets the clock of a process of a test ahead by CLOCK_AHEAD_MS, like a wrong clock of its machine. A test loads this file into the
// process with NODE_OPTIONS. Timers and `performance.now()` stay right, as on a real machine.

const ahead_ms = Number(process.env.CLOCK_AHEAD_MS)
const MachineDate = Date

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, given) =>
    given.length === 0 ? new target(target.now() + ahead_ms) : Reflect.construct(target, given),
  apply: (target) => new target(target.now() + ahead_ms).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => target.now() + ahead_ms : Reflect.get(target, name, receiver),
})

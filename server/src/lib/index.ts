// The door of lib: money, phones, ids, time, errors, configuration. Pure: nothing here talks to the outside.

export * from './batch.ts'
export * from './clock.ts'
export * from './config.ts'
export * from './errors.ts'
export * from './ids.ts'
export * from './log.ts'
export * from './money.ts'
export * from './phone.ts'
export * from './point.ts'
export * from './random.ts'
export * from './text.ts'
export * from './vault.ts'

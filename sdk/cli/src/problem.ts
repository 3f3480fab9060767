// Defines the errors that the tool shows as one sentence, without a stack.

/** An error that a person can repair. `exit_code` 2 means that the command line is wrong. */
export class Problem extends Error {
  readonly exit_code: number
  constructor(message: string, exit_code = 1) {
    super(message)
    this.exit_code = exit_code
  }
}

/** Returns the problem of a wrong command line. */
export const usage = (message: string) => new Problem(message, 2)

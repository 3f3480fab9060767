// Defines the error that the tool shows as one sentence, without a stack.

/** An error that the developer can correct. `exit_code` 2 means that the command line is wrong. */
export class Problem extends Error {
  readonly exit_code: number
  constructor(message: string, exit_code = 1) {
    super(message)
    this.exit_code = exit_code
  }
}

/** Returns the error for a wrong command line, with the exit code 2. */
export const usage = (message: string) => new Problem(message, 2)

// Connects the calls of the API with the dialog in which the user confirms a session.

type AskUser = () => Promise<boolean>

let askUser: AskUser | null = null
let asked: Promise<boolean> | null = null

/** Registers the function that opens the dialog. Null means that the page has no dialog. */
export function onConfirmation(ask: AskUser | null): void {
  askUser = ask
}

/**
 * Asks the user to confirm the session. Returns true after the confirmation. If the user cancels or the page has no dialog,
 * returns false. Simultaneous calls share one dialog.
 */
export function askConfirmation(): Promise<boolean> {
  if (askUser === null) return Promise.resolve(false)
  asked ??= askUser().finally(() => {
    asked = null
  })
  return asked
}

// After the API confirms an action, shows the result and announces the result to screen readers.

/** Shows the message. An empty text means that the action has no result yet. */
export function StatusMessage({ children }: { children: string }) {
  return (
    <div role="status" className="status-message">
      {children}
    </div>
  )
}

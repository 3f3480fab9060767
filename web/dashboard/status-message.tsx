// The result of an action, shown after the API confirms it and announced to screen readers.

/** The message. An empty text means that there is no result yet. */
export function StatusMessage({ children }: { children: string }) {
  return (
    <div role="status" className="status-message">
      {children}
    </div>
  )
}

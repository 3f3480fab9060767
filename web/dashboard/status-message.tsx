// What an act did, once the API said so: seen, and heard by whoever only listens.

/** The line. An empty text: nothing was done yet. */
export function StatusMessage({ children }: { children: string }) {
  return (
    <div role="status" className="said-now">
      {children}
    </div>
  )
}

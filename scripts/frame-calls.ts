// Finds the calls that still get their answers in the pictures of pages that wait or have failed.

/**
 * The calls of the frames of both consoles, and the call for the destinations. The banner about pauses is in the frame too, but
 * its call is not here, because the page of pauses makes the same call.
 */
const OF_FRAME = /\/v1\/(me|me\/attention|operator\/queue|merchant\/attention|session|destinations)(\?|$)/

/** Returns true for a call of the frame of a console, or for the destinations. */
export function isFrameCall(url: string): boolean {
  return OF_FRAME.test(url)
}

// Tells the calls of the frame of a console from the calls of its pages, for the pictures of pages that wait or have failed.

/**
 * The calls that the frame of a console needs. Without them, no page opens. The banner about pauses opens no page, so its call
 * is not here: the page of pauses makes the same call.
 */
const OF_FRAME = /\/v1\/(me|operator\/queue|merchant\/attention|session|destinations)(\?|$)/

/** Returns true if no page of a console opens without the call to this address. */
export function isFrameCall(url: string): boolean {
  return OF_FRAME.test(url)
}

// Who may send now: a bounded number at once, and of one merchant only so many that the others never wait for it.

/** Limits of `createLanes`. */
export type LaneLimits = {
  /** Sends at once, of all merchants together. */
  sending_max: number
  /** Deliveries in memory that wait for their turn. */
  queued_max: number
}

type Lane<Item> = {
  /** Sends at once of this merchant: grows while its receiver answers, shrinks when it lets us wait. */
  width: number
  sending: number
  queue: Item[]
  /** True while the lane stands in the round of those that may send. */
  in_round: boolean
}

/** How a send went, for the lane: `slow` means that the receiver used up its time. */
export type Pace = 'quick' | 'slow'

/** A new merchant's lane, and the bounds it moves in. A slow one keeps a little, so that it is noticed when it recovers. */
const WIDTH_START = 16
const WIDTH_MIN = 4
const WIDTH_MAX = 64
/** Waiting deliveries per slot: a receiver that has proved itself gets a longer queue. */
const QUEUE_PER_SLOT = 4
const QUEUE_PER_PROVEN_SLOT = 16
const LANES_MAX = 10_000

/** One lane per merchant, served in turn. `send` must not throw; what it answers moves the lane's width. */
export type Lanes<Item> = {
  /** How many more deliveries of this merchant may be taken now. */
  room(merchant_id: string): number
  /** How many more deliveries of any merchant may be taken now. */
  free(): number
  add(merchant_id: string, item: Item): void
}

/** Makes the lanes over `send`. */
export function createLanes<Item>(send: (item: Item) => Promise<Pace>, limits: LaneLimits): Lanes<Item> {
  const lanes = new Map<string, Lane<Item>>()
  let round: Lane<Item>[] = []
  let sending = 0
  let queued = 0

  const laneOf = (merchant_id: string): Lane<Item> => {
    const found = lanes.get(merchant_id)
    if (found) return found
    if (lanes.size >= LANES_MAX) {
      for (const [id, lane] of lanes) if (lane.sending === 0 && lane.queue.length === 0) lanes.delete(id)
    }
    const lane: Lane<Item> = { width: WIDTH_START, sending: 0, queue: [], in_round: false }
    lanes.set(merchant_id, lane)
    return lane
  }
  const joinRound = (lane: Lane<Item>) => {
    if (lane.in_round || lane.queue.length === 0 || lane.sending >= lane.width) return
    lane.in_round = true
    round.push(lane)
  }
  const run = (lane: Lane<Item>, item: Item) => {
    lane.sending++
    sending++
    const done = (pace: Pace) => {
      lane.sending--
      sending--
      lane.width = pace === 'slow' ? Math.max(WIDTH_MIN, lane.width >> 1) : Math.min(WIDTH_MAX, lane.width + 1)
      joinRound(lane)
      serve()
    }
    send(item).then(done, () => done('slow'))
  }
  // Each lane in the round sends one and goes to the end of the next round.
  const serve = () => {
    while (round.length > 0 && sending < limits.sending_max) {
      const turn = round
      round = []
      for (const lane of turn) {
        if (sending >= limits.sending_max) {
          round.push(lane)
          continue
        }
        lane.in_round = false
        const item = lane.queue.shift()
        if (item === undefined) continue
        queued--
        run(lane, item)
        joinRound(lane)
      }
    }
  }
  return {
    room(merchant_id) {
      const lane = lanes.get(merchant_id)
      const width = lane?.width ?? WIDTH_START
      const most = width * (1 + (width === WIDTH_MAX ? QUEUE_PER_PROVEN_SLOT : QUEUE_PER_SLOT))
      const taken = lane ? lane.sending + lane.queue.length : 0
      return Math.max(0, Math.min(most - taken, limits.queued_max - queued))
    },
    free: () => Math.max(0, limits.queued_max - queued),
    add(merchant_id, item) {
      const lane = laneOf(merchant_id)
      lane.queue.push(item)
      queued++
      joinRound(lane)
      serve()
    },
  }
}

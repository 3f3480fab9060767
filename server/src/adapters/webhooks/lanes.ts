// Limits the concurrent sends of this process with one lane for each endpoint. A send to a receiver that hangs takes a slot
// until its timeout. So lanes with timeouts share a quarter of the slots, and a quarter is only for lanes with quick answers.

/** The limits of one process for all its lanes together: one for sends, and one for waiting deliveries. */
export type LaneLimits = {
  /** The greatest number of concurrent sends in all lanes. */
  sending_max: number
  /** The greatest number of deliveries that wait in memory for a slot, in all lanes. */
  queued_max: number
}

/**
 * The health of a lane, from worst to best. `hangs`: the last send timed out. `unproven`: no result yet, or a slow answer.
 * `answers`: a quick answer.
 */
const LANE_HEALTHS = ['hangs', 'unproven', 'answers'] as const
type LaneHealth = (typeof LANE_HEALTHS)[number]

/** The share of the slots, and of the queue, that lanes with this health or a worse health may use together. */
const SHARE: Record<LaneHealth, number> = { hangs: 0.25, unproven: 0.75, answers: 1 }

type Lane<Item> = {
  health: LaneHealth
  /** The greatest number of concurrent sends to this endpoint. Each result changes the width (see WIDTH_START). */
  width: number
  sending: number
  queue: Item[]
  /** True while the lane waits in `rounds` for its turn. */
  in_round: boolean
}

/** The result of a send. `timeout`: the receiver did not answer in time. `unsent`: this process sent nothing. */
export type SendPace = 'quick' | 'slow' | 'timeout' | 'unsent'

/**
 * The width of a new lane in concurrent sends. Each quick answer adds one, up to WIDTH_MAX. Each timeout halves the width, to
 * no less than 1. Each slow answer halves the width to no less than WIDTH_SLOW_MIN, and so raises a smaller width.
 */
const WIDTH_START = 1
const WIDTH_SLOW_MIN = 4
const WIDTH_MAX = 64
/**
 * The queue capacity of a lane is its width times QUEUE_PER_SLOT, or times QUEUE_PER_PROVEN_SLOT at WIDTH_MAX. If the lane does
 * not hang, the capacity is at least QUEUE_MIN.
 */
const QUEUE_MIN = 64
const QUEUE_PER_SLOT = 4
const QUEUE_PER_PROVEN_SLOT = 16
const LANES_MAX = 10_000

/** The lanes of this process, one for each endpoint. The lanes take turns. */
export type Lanes<Item> = {
  /** Returns the number of further deliveries to this endpoint that the lanes can accept now. */
  capacityFor(endpoint: string): number
  /** Returns the number of further deliveries to all endpoints that the lanes can accept now. */
  totalCapacity(): number
  add(endpoint: string, item: Item): void
}

/** All lanes of this process, with the number of sends and queued deliveries by health. */
type LaneTable<Item> = {
  lanes: Map<string, Lane<Item>>
  /** The lanes that wait for a slot, by health. After its turn, a lane moves to the end of its array. */
  rounds: Record<LaneHealth, Lane<Item>[]>
  sending: Record<LaneHealth, number>
  queued: Record<LaneHealth, number>
  /** The index in LANE_HEALTHS of the lanes with the next turn. */
  next_health: number
}

/** Makes the lanes. `send` must not reject, and its result changes the width of the lane. */
export function createLanes<Item>(send: (item: Item) => Promise<SendPace>, limits: LaneLimits): Lanes<Item> {
  const table: LaneTable<Item> = {
    lanes: new Map(),
    rounds: { hangs: [], unproven: [], answers: [] },
    sending: { hangs: 0, unproven: 0, answers: 0 },
    queued: { hangs: 0, unproven: 0, answers: 0 },
    next_health: 0,
  }
  const run = (lane: Lane<Item>, item: Item) => {
    lane.sending++
    table.sending[lane.health]++
    const done = (pace: SendPace) => {
      lane.sending--
      table.sending[lane.health]--
      applyPace(table, lane, pace)
      joinRound(table, lane)
      serve()
    }
    send(item).then(done, () => done('timeout'))
  }
  const serve = () => {
    for (let lane = nextLane(table, limits); lane !== null; lane = nextLane(table, limits)) {
      lane.in_round = false
      const item = lane.queue.shift()
      if (item === undefined) continue
      table.queued[lane.health]--
      run(lane, item)
      joinRound(table, lane)
    }
  }
  return {
    capacityFor: (endpoint) => capacityOf(table.lanes.get(endpoint), table.queued, limits.queued_max),
    totalCapacity: () => Math.max(0, shareLeft(table.queued, limits.queued_max, 'answers')),
    add(endpoint, item) {
      const lane = laneOf(table, endpoint)
      lane.queue.push(item)
      table.queued[lane.health]++
      joinRound(table, lane)
      serve()
    },
  }
}

function laneOf<Item>({ lanes }: LaneTable<Item>, endpoint: string): Lane<Item> {
  const found = lanes.get(endpoint)
  if (found) return found
  if (lanes.size >= LANES_MAX) {
    for (const [id, lane] of lanes) if (lane.sending === 0 && lane.queue.length === 0) lanes.delete(id)
  }
  const lane: Lane<Item> = { health: 'unproven', width: WIDTH_START, sending: 0, queue: [], in_round: false }
  lanes.set(endpoint, lane)
  return lane
}

function joinRound<Item>({ rounds }: LaneTable<Item>, lane: Lane<Item>): void {
  if (lane.in_round || lane.queue.length === 0 || lane.sending >= lane.width) return
  lane.in_round = true
  rounds[lane.health].push(lane)
}

function applyPace<Item>(table: LaneTable<Item>, lane: Lane<Item>, pace: SendPace): void {
  switch (pace) {
    case 'quick':
      lane.width = Math.min(WIDTH_MAX, lane.width + 1)
      setHealth(table, lane, 'answers')
      break
    case 'slow':
      lane.width = Math.max(WIDTH_SLOW_MIN, lane.width >> 1)
      setHealth(table, lane, 'unproven')
      break
    case 'timeout':
      lane.width = Math.max(1, lane.width >> 1)
      setHealth(table, lane, 'hangs')
      break
  }
}

function setHealth<Item>({ rounds, sending, queued }: LaneTable<Item>, lane: Lane<Item>, health: LaneHealth): void {
  const before = lane.health
  if (before === health) return
  lane.health = health
  sending[before] -= lane.sending
  sending[health] += lane.sending
  queued[before] -= lane.queue.length
  queued[health] += lane.queue.length
  if (!lane.in_round) return
  rounds[before] = rounds[before].filter((other) => other !== lane)
  rounds[health].push(lane)
}

/**
 * Removes the next lane that may send from its round. Lanes of each health take turns, so that each health gets slots. Null
 * means that no lane may send.
 */
function nextLane<Item>(table: LaneTable<Item>, limits: LaneLimits): Lane<Item> | null {
  const { rounds, sending } = table
  for (let i = 0; i < LANE_HEALTHS.length; i++) {
    const index = (table.next_health + i) % LANE_HEALTHS.length
    const health = LANE_HEALTHS[index] as LaneHealth
    if (rounds[health].length === 0 || shareLeft(sending, limits.sending_max, health) <= 0) continue
    table.next_health = index + 1
    return rounds[health].shift() ?? null
  }
  return null
}

/**
 * Returns the number of further deliveries that a lane can accept. Undefined as `lane` means that the endpoint has no lane yet.
 */
function capacityOf<Item>(
  lane: Lane<Item> | undefined,
  queued: Record<LaneHealth, number>,
  queued_max: number,
): number {
  const { health, width } = lane ?? { health: 'unproven' as const, width: WIDTH_START }
  const per_slot = width === WIDTH_MAX ? QUEUE_PER_PROVEN_SLOT : QUEUE_PER_SLOT
  const queue_max = health === 'hangs' ? width * per_slot : Math.max(QUEUE_MIN, width * per_slot)
  const taken = lane ? lane.sending + lane.queue.length : 0
  return Math.max(0, Math.min(width + queue_max - taken, shareLeft(queued, queued_max, health)))
}

/** Returns the number of further deliveries that lanes of this health may have. `max` is the limit of all lanes. */
function shareLeft(taken: Record<LaneHealth, number>, max: number, health: LaneHealth): number {
  const total = taken.hangs + taken.unproven + taken.answers
  const worse = health === 'answers' ? total : health === 'unproven' ? taken.hangs + taken.unproven : taken.hangs
  return Math.min(Math.floor(SHARE[health] * max) - worse, max - total)
}

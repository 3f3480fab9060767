// Who may send now: a bounded number at once, and of one merchant only so many that the others never wait for it.
//
// A receiver that hangs holds its slot until its time is up, and there may be hundreds of them. So what is known of a
// lane decides how much of the whole it may take: those that time out share a quarter, and those that were not yet seen
// to answer quickly leave a quarter to those that were.

/** Limits of `createLanes`. */
export type LaneLimits = {
  /** Sends at once, of all merchants together. */
  sending_max: number
  /** Deliveries in memory that wait for their turn. */
  queued_max: number
}

/** What a lane's last answer showed, from worst to best. */
const STANDINGS = ['hangs', 'unproven', 'answers'] as const
type Standing = (typeof STANDINGS)[number]

/** Slots and places that lanes of a standing may take together with those of a worse one, as parts of all. */
const SHARE: Record<Standing, number> = { hangs: 0.25, unproven: 0.75, answers: 1 }

type Lane<Item> = {
  standing: Standing
  /** Sends at once of this merchant: grows while its receiver answers, shrinks when it lets us wait. */
  width: number
  sending: number
  queue: Item[]
  /** True while the lane stands in the round of those that may send. */
  in_round: boolean
}

/**
 * How a send went, for the lane: `quick` and `slow` were answered, `timeout` used up the receiver's time, and `unsent`
 * was let go without asking the receiver.
 */
export type Pace = 'quick' | 'slow' | 'timeout' | 'unsent'

/**
 * A new merchant's lane, and the bounds it moves in. One whose receiver was never seen to answer, or times out again and
 * again, sends one at a time, so that it costs little and is noticed when it answers. With quick answers the width
 * doubles each time around.
 */
const WIDTH_START = 1
const WIDTH_SLOW_MIN = 4
const WIDTH_MAX = 64
/** Waiting deliveries: at least a few, then per slot; a receiver that has proved itself gets a longer queue. */
const QUEUE_MIN = 64
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
  /** Lanes that wait for a slot, by standing. Each that is served goes to the end. */
  const rounds: Record<Standing, Lane<Item>[]> = { hangs: [], unproven: [], answers: [] }
  const sending: Record<Standing, number> = { hangs: 0, unproven: 0, answers: 0 }
  const queued: Record<Standing, number> = { hangs: 0, unproven: 0, answers: 0 }
  let next_standing = 0

  const laneOf = (merchant_id: string): Lane<Item> => {
    const found = lanes.get(merchant_id)
    if (found) return found
    if (lanes.size >= LANES_MAX) {
      for (const [id, lane] of lanes) if (lane.sending === 0 && lane.queue.length === 0) lanes.delete(id)
    }
    const lane: Lane<Item> = { standing: 'unproven', width: WIDTH_START, sending: 0, queue: [], in_round: false }
    lanes.set(merchant_id, lane)
    return lane
  }
  const joinRound = (lane: Lane<Item>) => {
    if (lane.in_round || lane.queue.length === 0 || lane.sending >= lane.width) return
    lane.in_round = true
    rounds[lane.standing].push(lane)
  }
  const setStanding = (lane: Lane<Item>, standing: Standing) => {
    const before = lane.standing
    if (before === standing) return
    lane.standing = standing
    sending[before] -= lane.sending
    sending[standing] += lane.sending
    queued[before] -= lane.queue.length
    queued[standing] += lane.queue.length
    if (!lane.in_round) return
    rounds[before] = rounds[before].filter((other) => other !== lane)
    rounds[standing].push(lane)
  }
  const judge = (lane: Lane<Item>, pace: Pace) => {
    switch (pace) {
      case 'quick':
        lane.width = Math.min(WIDTH_MAX, lane.width + 1)
        return setStanding(lane, 'answers')
      case 'slow':
        lane.width = Math.max(WIDTH_SLOW_MIN, lane.width >> 1)
        return setStanding(lane, 'unproven')
      case 'timeout':
        lane.width = Math.max(1, lane.width >> 1)
        return setStanding(lane, 'hangs')
    }
  }
  const run = (lane: Lane<Item>, item: Item) => {
    lane.sending++
    sending[lane.standing]++
    const done = (pace: Pace) => {
      lane.sending--
      sending[lane.standing]--
      judge(lane, pace)
      joinRound(lane)
      serve()
    }
    send(item).then(done, () => done('timeout'))
  }
  /** The first lane whose turn it is: the standings take turns too, so that none of them starves. */
  const nextLane = (): Lane<Item> | null => {
    for (let i = 0; i < STANDINGS.length; i++) {
      const place = (next_standing + i) % STANDINGS.length
      const standing = STANDINGS[place] as Standing
      if (rounds[standing].length === 0 || left(sending, limits.sending_max, standing) <= 0) continue
      next_standing = place + 1
      return rounds[standing].shift() ?? null
    }
    return null
  }
  const serve = () => {
    for (let lane = nextLane(); lane !== null; lane = nextLane()) {
      lane.in_round = false
      const item = lane.queue.shift()
      if (item === undefined) continue
      queued[lane.standing]--
      run(lane, item)
      joinRound(lane)
    }
  }
  return {
    room(merchant_id) {
      const lane = lanes.get(merchant_id)
      const { standing, width } = lane ?? { standing: 'unproven' as const, width: WIDTH_START }
      const per_slot = width === WIDTH_MAX ? QUEUE_PER_PROVEN_SLOT : QUEUE_PER_SLOT
      const queue_max = standing === 'hangs' ? width * per_slot : Math.max(QUEUE_MIN, width * per_slot)
      const taken = lane ? lane.sending + lane.queue.length : 0
      return Math.max(0, Math.min(width + queue_max - taken, left(queued, limits.queued_max, standing)))
    },
    free: () => Math.max(0, left(queued, limits.queued_max, 'answers')),
    add(merchant_id, item) {
      const lane = laneOf(merchant_id)
      lane.queue.push(item)
      queued[lane.standing]++
      joinRound(lane)
      serve()
    },
  }
}

/** What is left of `max` for a standing, when it and all worse ones have taken what they have. */
function left(taken: Record<Standing, number>, max: number, standing: Standing): number {
  const total = taken.hangs + taken.unproven + taken.answers
  const worse = standing === 'answers' ? total : standing === 'unproven' ? taken.hangs + taken.unproven : taken.hangs
  return Math.min(Math.floor(SHARE[standing] * max) - worse, max - total)
}

import { setTimeout as pause } from 'node:timers/promises'

type Waiting<In, Out> = { item: In; resolve: (out: Out) => void; reject: (error: unknown) => void }

/** All connections to a mail server take about this long to arrive at the same point, and it is far less than a mail takes on its way. */
const gatherMs = 3

/**
 * Answers single calls in groups, because a commit costs more than what it changes. Whatever arrives within a moment of each other, or
 * while one group is worked on, shares one commit. `work` answers in the order of its items.
 */
export function grouped<In, Out>(work: (items: In[]) => Promise<Out[]>): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      await pause(gatherMs)
      const group = waiting
      waiting = []
      try {
        const answers = await work(group.map((one) => one.item))
        for (const [i, one] of group.entries()) {
          const answer = answers[i]
          if (answer === undefined) one.reject(new Error('a call was left without an answer'))
          else one.resolve(answer)
        }
      } catch (error) {
        for (const one of group) one.reject(error)
      }
    }
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!running) void run()
    })
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Attempt } from '#contract/quizzes/quizzes.ts'
import { classroom, draft, pageAt, question } from '../quizzes/quizzes.ts'
import type { Scene, Work } from './work.ts'

const questions = 8

/** An author tries the questions of a video, each time from the first to the last. */
export async function trying(scene: Scene): Promise<Work> {
  const { faults, front } = scene
  const room = await classroom(scene.cluster.server)
  const asked = await room.asked(draft(Array.from({ length: questions }, () => question())), {
    kind: 'preview',
  })
  let trials = 0

  async function tryAll(): Promise<void> {
    const { playToken } = room.viewer(asked.quizId, { kind: 'preview' })
    const page = pageAt({ call: front.callAs() }, { quizId: asked.quizId, playToken })
    const begun = await page.start()
    if (begun.status >= 300) return void faults.push(`a trial was refused: ${JSON.stringify(begun.problem)}`)
    for (let n = 0; n < questions; n += 1) {
      const said = await page.say(begun.body, { n, options: [n % 2] })
      if (said.status !== 200)
        return void faults.push(`an answer was refused: ${JSON.stringify(said.problem)}`)
      await pause(200)
    }
    const told = await page.start()
    if (rightOnes(told.body) !== questions / 2)
      faults.push(
        `of a trial ${told.body.answered?.length} answers are left, ${rightOnes(told.body)} of them right`,
      )
    trials += 1
  }

  return {
    async run() {
      while (!scene.isOver) {
        await tryAll()
        await pause(1_000)
      }
    },
    judge: async () => ({ 'trials of questions': trials }),
  }
}

const rightOnes = ({ answered }: Attempt) => answered?.filter(({ correct }) => correct).length

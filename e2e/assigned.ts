import { createAssignment } from '#contract/assignments/assignments.ts'
import type { Client } from './client.ts'

type What = { orgId: string; videoId: string; userIds?: string[]; name?: string; waitsForId?: string }

/** An assignment that has begun, for everybody in the organization where nobody is named; answers its id. */
export async function assigned(client: Client, { orgId, videoId, userIds, ...more }: What): Promise<string> {
  const { id } = await client.call(createAssignment, {
    params: { orgId },
    body: {
      name: 'Fire safety, every year',
      videoId,
      audience: userIds ? { userIds } : { everyone: true },
      requirement: 'watched',
      due: { kind: 'after', days: 14, working: false },
      validity: { months: 12, renewDays: 30 },
      countsSince: null,
      reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 6 },
      subject: 'Please watch this video',
      message: 'Please watch this video.',
      start: true,
      ...more,
    },
  })
  return id
}

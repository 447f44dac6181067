import { useNavigate } from '@tanstack/react-router'
import { createDraft } from '#contract/transmissions/drafts.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { useBusy } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatStretch } from '#web/ui/format.ts'
import type { Part } from './lacking.ts'

type Whom = { orgId: string; videoId: string; userIds: string[]; part: Part }

const bodyAbout = (part: Part) => `Hello {{firstName|colleague}},

please watch ${formatStretch(part)} of the video “{{video}}”. Open it with the link in this message, so that it counts for you.

Thank you.`

/** Begins a message to whoever lacks a part and owes nothing of which they could be reminded; who has seen it until it leaves gets none. */
export function useWrite() {
  const navigate = useNavigate()
  const begin = useChange(createDraft, [listTransmissions])
  const [isWriting, run] = useBusy()
  const write = ({ orgId, videoId, userIds, part }: Whom) =>
    void run(async () => {
      const seconds = { fromMs: part.from * 1_000, toMs: part.to * 1_000 }
      const audience = { userIds, viewing: { kind: 'not_seen' as const, videoId, ...seconds } }
      const body = { accountId: orgId, videoId, body: bodyAbout(part), audience }
      const { id } = await begin.mutateAsync({ body })
      await navigate({ to: paths.transmissionEdit(id) })
    })
  return { write, isWriting }
}

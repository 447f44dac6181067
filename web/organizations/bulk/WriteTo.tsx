import { IconPencil } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { createDraft } from '#contract/transmissions/drafts.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { listUsers, type UserFilter } from '#contract/directory/users.ts'
import { useBusy } from '#web/api/attempt.ts'
import { afterIn, call } from '#web/api/client.ts'
import { useChange } from '#web/api/query.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import type { BarProps } from '#web/lists/bulk/selected.ts'
import { formatNumber } from '#web/ui/format.ts'
import { countSelected, isSelected, mostIds } from '#web/ui/table/selection.ts'
import { toast } from '#web/ui/toasts.ts'
import { paths } from '../../paths.ts'

type Props = Pick<BarProps, 'selection' | 'total'> & { orgId: string; filter: UserFilter }

/** People of one request. */
const step = 100

/** By name, those that the list finds and are selected. */
async function findSelected({ orgId, filter, selection }: Props): Promise<string[]> {
  const found: string[] = []
  let after: string | undefined
  do {
    const query = { ...filter, limit: step, after }
    const { items, next } = await call(listUsers, { params: { orgId }, query })
    found.push(...items.flatMap(({ id }) => (isSelected(selection, id) ? [id] : [])))
    after = afterIn(next)
  } while (after)
  return found
}

/** All but a few, whoever they are. */
const isEverybody = ({ filter, selection }: Props) => selection.isAll && !Object.values(filter).some(Boolean)

/** Whoever is selected, as the audience of a transmission. */
async function audienceOf(chosen: Props) {
  const ids = [...chosen.selection.ids]
  if (isEverybody(chosen)) return { everyone: true, exceptUserIds: ids }
  return { userIds: chosen.selection.isAll ? await findSelected(chosen) : ids }
}

/** Begins a transmission to the people who are selected, as a draft. */
export function WriteTo(chosen: Props) {
  const { orgId, selection, total } = chosen
  const navigate = useNavigate()
  const begin = useChange(createDraft, [listTransmissions])
  const [isBusy, run] = useBusy()
  const write = () =>
    run(async () => {
      const body = { accountId: orgId, videoId: null, body: '', audience: await audienceOf(chosen) }
      const { id } = await begin.mutateAsync({ body })
      await navigate({ to: paths.transmissionEdit(id) })
    })
  const press = () => {
    if (isEverybody(chosen) || countSelected(selection, total) <= mostIds) return void write()
    toast.failure(
      `At most ${formatNumber(mostIds)} people are written to from here. Put more into a group, and write to the group.`,
    )
  }
  return <Act icon={IconPencil} label="Write to them" isBusy={isBusy} onClick={press} />
}

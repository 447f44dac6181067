import { IconPrinter } from '@tabler/icons-react'
import { language } from '#contract/platform/text/language.ts'
import { listTraining } from '#contract/matrix/training.ts'
import { useBusy } from '#web/api/attempt.ts'
import { prefetch } from '#web/api/query.ts'
import { leaveFlyout } from '#web/ui/overlays/Flyout.tsx'
import rows from '#web/ui/overlays/menu.module.css'
import { mostPrinted } from './Paper.tsx'
import { pageAt, pageSize, type RowQuery } from './useRows.ts'
import { tip } from '#web/ui/overlays/tips.ts'

type Props = { orgId: string; query: RowQuery }

async function fetchRows({ orgId, query }: Props): Promise<void> {
  const { total } = await prefetch(listTraining, pageAt(orgId, query, 0))
  const pages = Math.ceil(Math.min(total, mostPrinted) / pageSize)
  // The pages come one after the other, because printing is no reason to hurry the server.
  for (let page = 1; page < pages; page++) await prefetch(listTraining, pageAt(orgId, query, page))
}

/** Fetches the rows that are not there yet, then prints, because paper cannot be scrolled. */
export function Print(props: Props) {
  const [isBusy, run] = useBusy()
  const print = () =>
    run(async () => {
      await fetchRows(props)
      window.print()
    })
  return (
    <button
      type="button"
      className={rows.row}
      aria-busy={isBusy}
      {...tip(
        `The chosen videos, and the people of the filters, ${mostPrinted.toLocaleString(language)} at most`,
      )}
      onClick={({ currentTarget }) => {
        leaveFlyout(currentTarget)
        if (!isBusy) void print()
      }}
    >
      <IconPrinter size={18} aria-hidden />
      Print
    </button>
  )
}

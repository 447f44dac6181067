import { IconFileExport } from '@tabler/icons-react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { Input } from '#web/api/client.ts'
import rows from '#web/ui/menu.module.css'
import { leaveFlyout } from '#web/ui/Flyout.tsx'
import { tip } from '#web/ui/tips.ts'
import { useExport } from './useExport.ts'

type Props<E extends EndpointDefinition> = {
  /** Fetched when somebody presses it. */
  endpoint: () => Promise<E>
  input: Input<E>
  /** What the file is called, before its date. */
  what: string
  /** What it says of the file. */
  title: string
}

/** In the menu of a list: all that the filters find, in the order of the list, as a file for a spreadsheet. */
export function ExportItem<E extends EndpointDefinition>({ endpoint, input, what, title }: Props<E>) {
  const [isBusy, save] = useExport(endpoint, what)
  return (
    <button
      type="button"
      className={rows.row}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      {...tip(title)}
      onClick={({ currentTarget }) => {
        leaveFlyout(currentTarget)
        if (!isBusy) void save(input)
      }}
    >
      <IconFileExport size={18} aria-hidden />
      Export CSV
    </button>
  )
}

import { IconDots } from '@tabler/icons-react'
import type { ComponentProps, ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useBusy } from '#web/api/attempt.ts'
import { offerDated } from '#web/ui/browser/download.ts'
import { FlyoutButton } from '#web/ui/overlays/Flyout.tsx'
import { usePageMenu } from '#web/ui/overlays/pageMenu.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import type { TableView } from '#web/ui/table/TableView.tsx'
import { usePhone } from '#web/ui/browser/usePhone.ts'
import type { Downloadable } from '../download/Download.tsx'
import type { ViewsOfList } from '../ViewsMenu.tsx'

export type ListMenuProps = {
  /** Where it is a table: which one, for the choice of its columns and density. */
  table?: ComponentProps<typeof TableView> | undefined
  /** Where it is none: what else is chosen about how it looks. */
  look?: { label: string; panel: ReactNode } | undefined
  views?: ViewsOfList | undefined
  /** What can be taken along. */
  files?: readonly Downloadable[] | undefined
  /** Further rows: import. */
  items?: ReactNode
}

const MenuPanel = onDemand(async () => (await import('./MenuPanel.tsx')).MenuPanel)

/** Behind three dots, on a phone in the corner of the page's head: columns and density, saved views, files and import. */
export function ListMenu(menu: ListMenuProps) {
  const [isBusy, run] = useBusy()
  const hasMenu = Boolean(menu.table ?? menu.look ?? menu.views ?? menu.files ?? menu.items)
  const corner = usePageMenu(hasMenu)
  const isPhone = usePhone()
  if (!hasMenu) return null
  const button = (
    <FlyoutButton icon={<IconDots size={18} aria-hidden />} name="List options" isBusy={isBusy}>
      {(id) => (
        <MenuPanel
          id={id}
          {...menu}
          onTake={({ name, read }, format) =>
            isBusy || void run(async () => offerDated(await read(format), name, format))
          }
        />
      )}
    </FlyoutButton>
  )
  return isPhone && corner ? createPortal(button, corner) : button
}

import {
  IconAdjustmentsHorizontal,
  IconBookmark,
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  type Icon,
} from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import { Flyout } from '#web/ui/overlays/Flyout.tsx'
import { placeInMenu } from '#web/ui/overlays/pageMenu.ts'
import rows from '#web/ui/overlays/menu.module.css'
import { TableChoice } from '#web/ui/table/TableView.tsx'
import { DownloadPanel, type Downloadable } from '../download/Download.tsx'
import { ViewsPanel } from '../ViewsMenu.tsx'
import type { ListMenuProps } from './ListMenu.tsx'
import classes from './ListBar.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = ListMenuProps & {
  /** From the button that opened it. */
  id: string
  onTake: (file: Downloadable, format: FileFormat) => void
}

type Part = 'menu' | 'table' | 'look' | 'views' | 'files'

const names: Record<Exclude<Part, 'look'>, string> = {
  menu: 'List options',
  table: 'View of the table',
  views: 'Views of the list',
  files: 'Download',
}

/** The rows of the menu; some of them open a part of it in its place, with a way back. */
export function MenuPanel({ id, table, look, views, files, items, onTake }: Props) {
  const [part, setPart] = useState<Part>('menu')
  const before = useRef(part)
  useEffect(() => {
    if (before.current === part) return
    before.current = part
    // What was pressed is gone; the keyboard goes on from the beginning of what came in its place.
    document.getElementById(id)?.focus({ preventScroll: true })
  }, [id, part])
  const open = (wanted: Part) => () => setPart(wanted)
  return (
    <Flyout
      id={id}
      label={part === 'look' ? (look?.label ?? '') : names[part]}
      onOpen={() => setPart('menu')}
    >
      {part === 'menu' ? (
        <div className={classes.menu}>
          <div ref={placeInMenu} />
          {table && (
            <Row icon={IconAdjustmentsHorizontal} label="Columns and density" onOpen={open('table')} />
          )}
          {look && <Row icon={IconAdjustmentsHorizontal} label={look.label} onOpen={open('look')} />}
          {views && <Row icon={IconBookmark} label="Saved views" onOpen={open('views')} />}
          {files && <Row icon={IconDownload} label="Download" onOpen={open('files')} />}
          <Suspense>{items}</Suspense>
        </div>
      ) : (
        <div className={classes.back}>
          <button type="button" className={rows.row} onClick={open('menu')}>
            <IconChevronLeft className={shapes.flip} size={16} aria-hidden />
            Back
          </button>
        </div>
      )}
      <Suspense>
        {part === 'table' && table && <TableChoice id={id} {...table} />}
        {part === 'look' && look?.panel}
        {part === 'views' && views && <ViewsPanel id={id} {...views} />}
        {part === 'files' && files && <DownloadPanel id={id} files={files} onTake={onTake} />}
      </Suspense>
    </Flyout>
  )
}

function Row({ icon: Shown, label, onOpen }: { icon: Icon; label: string; onOpen: () => void }) {
  return (
    <button type="button" className={rows.row} onClick={onOpen}>
      <Shown size={18} aria-hidden />
      <span className={shapes.grow}>{label}</span>
      <IconChevronRight className={shapes.flip} size={16} aria-hidden />
    </button>
  )
}

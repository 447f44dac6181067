import { IconFileSpreadsheet, IconFileText, IconFileTypeCsv } from '@tabler/icons-react'
import { useId } from 'react'
import { mostRows, type FileFormat } from '#contract/platform/file-formats.ts'
import { closeFlyout } from '#web/ui/overlays/Flyout.tsx'
import { formatNumber } from '#web/ui/format.ts'
import rows from '#web/ui/overlays/menu.module.css'
import type { Downloadable } from './Download.tsx'
import classes from './DownloadPanel.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const formats = [
  {
    format: 'xlsx',
    title: 'Excel',
    about: `Figures, table and what they mean. Up to ${formatNumber(mostRows.xlsx)} rows.`,
    icon: IconFileSpreadsheet,
  },
  {
    format: 'pdf',
    title: 'PDF',
    about: `To print or send. Up to ${formatNumber(mostRows.pdf)} rows.`,
    icon: IconFileText,
  },
  {
    format: 'csv',
    title: 'CSV',
    about: 'The table alone, every row, for other programs.',
    icon: IconFileTypeCsv,
  },
] as const satisfies readonly { format: FileFormat; title: string; about: string; icon: unknown }[]

type Props = {
  /** Of the flyout around it. */
  id: string
  files: readonly Downloadable[]
  onTake: (file: Downloadable, format: FileFormat) => void
}

/** Each of the files in each of the formats. */
export function DownloadPanel({ id, files, onTake }: Props) {
  const take = (file: Downloadable, format: FileFormat) => {
    closeFlyout(id)
    onTake(file, format)
  }
  return files.map((file) => <FormatList key={file.name} {...file} onTake={(format) => take(file, format)} />)
}

type ListProps = Pick<Downloadable, 'title' | 'about' | 'note'> & { onTake: (format: FileFormat) => void }

function FormatList({ title, about, note, onTake }: ListProps) {
  const id = useId()
  return (
    <section className={classes.file} aria-labelledby={title && id}>
      {title && (
        <header>
          <h2 id={id}>{title}</h2>
          {about && <p className={shapes.hint}>{about}</p>}
        </header>
      )}
      <ul>
        {formats.map(({ format, title: name, about: words, icon: Icon }) => (
          <li key={format}>
            <button type="button" className={rows.row} onClick={() => onTake(format)}>
              <Icon size={20} aria-hidden />
              <span>
                <strong>{name}</strong>
                <br />
                <small>{words}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {note && <p className={shapes.hint}>{note}</p>}
    </section>
  )
}

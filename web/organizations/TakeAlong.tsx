import { IconUpload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Query } from '#contract/endpoint.ts'
import { exportUsers } from '#contract/users.ts'
import { paths } from '../paths.ts'
import { ExportItem } from '../lists/ExportItem.tsx'
import { useSession } from '../session/useSession.ts'
import rows from '../ui/menu.module.css'

type Props = { orgId: string; query: Partial<Query<typeof exportUsers>>; mayImport: boolean }

const exporting = () => Promise.resolve(exportUsers)

/** In the menu of the list: people in from a file, and those in sight out into one. */
export function TakeAlong({ orgId, query: { ...query }, mayImport }: Props) {
  const { viewing } = useSession()
  return (
    <>
      {mayImport && !viewing && (
        <Link className={rows.row} to={paths.userImport(orgId)}>
          <IconUpload size={18} aria-hidden />
          Import
        </Link>
      )}
      <ExportItem
        endpoint={exporting}
        input={{ params: { orgId }, query }}
        what="people"
        title="The people that the filters find, as a file for a spreadsheet"
      />
    </>
  )
}

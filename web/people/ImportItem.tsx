import { IconUpload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useSession } from '../session/useSession.ts'
import rows from '../ui/menu.module.css'

/** In the menu of the list of people: people in from a file. */
export function ImportItem({ orgId }: { orgId: string }) {
  const { viewing } = useSession()
  if (viewing) return null
  return (
    <Link className={rows.row} to={paths.userImport(orgId)}>
      <IconUpload size={18} aria-hidden />
      Import
    </Link>
  )
}

import { PageHead } from '#web/ui/PageHead.tsx'

export function GroupEdit() {
  return <PageHead title="Edit group" />
}

import { PageHead } from '#web/ui/PageHead.tsx'

export function TransmissionsPage() {
  return <PageHead title="Transmissions" />
}

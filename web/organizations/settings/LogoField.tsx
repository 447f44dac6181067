import { listOrganizations, readOrganization, type Organization } from '#contract/directory/organizations.ts'
import { deleteLogo, putLogo } from '#contract/directory/pictures.ts'
import { useChange } from '#web/api/query.ts'
import { PictureField } from '../pictures/PictureField.tsx'
import shapes from '#web/ui/look/shapes.module.css'

const shownIn = [readOrganization, listOrganizations]

/** The logo of an organization, saved by itself. */
export function LogoField({ organization }: { organization: Organization }) {
  const params = { orgId: organization.id }
  const put = useChange(putLogo, shownIn)
  const remove = useChange(deleteLogo, shownIn)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.narrow}`} aria-label="Logo">
      <PictureField
        kind="logo"
        label="Logo"
        hint="Shown in the console and above the videos that are sent. PNG, JPEG or WebP; best on a transparent ground."
        name={organization.name}
        picture={organization.logo}
        onSave={(data) => put.mutateAsync({ params, body: { data } })}
        onRemove={() => remove.mutateAsync({ params })}
      />
    </section>
  )
}

import { product } from '#web/ui/product.ts'
import classes from './Shell.module.css'

const thisYear = () => new Date().getFullYear()

export function Footer() {
  return (
    <footer className={`ui-hint ${classes['foot']}`} data-part="footer">
      © {thisYear()} {product.name} - by {product.provider}
    </footer>
  )
}

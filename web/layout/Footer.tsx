import { product } from '#web/ui/product.ts'

const thisYear = () => new Date().getFullYear()

export function Footer() {
  return (
    <footer className="foot" data-part="footer">
      © {thisYear()} {product.name} - by {product.provider}
    </footer>
  )
}

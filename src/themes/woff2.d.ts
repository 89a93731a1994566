/** A font imported `with { type: "file" }`: its path. */
declare module "*.woff2" {
  const path: string;
  export default path;
}

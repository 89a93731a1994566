/** A font imported `with { type: "file" }`: its path. */
declare module "*.ttf" {
  const path: string;
  export default path;
}

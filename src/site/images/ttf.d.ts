declare module "*.ttf" {
  const path: string;
  export default path;
}

# frozen_string_literal: true

# Read and not loaded: Bundler evaluates this file in applications that may have loaded another version.
version = File.read(File.expand_path("lib/holdup/version.rb", __dir__))[/VERSION = "([^"]+)"/, 1]

# The half that runs inside the application. It has the C extension, and needs no other gem.
Gem::Specification.new do |spec|
  spec.name = "holdup-agent"
  spec.version = version
  spec.authors = ["The Holdup authors"]
  spec.summary = "Measures who holds the GVL and who waits for it, inside the application"
  spec.description = "The part of Holdup that runs inside the application: it measures each request and " \
    "job into memory. The gem holdup brings it along, and has the collector, the reports and the dashboard."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.3"
  spec.metadata = {"rubygems_mfa_required" => "true"}
  # The release workflow knows where the repository is; a gem that is built elsewhere links to nothing.
  if ENV["GITHUB_REPOSITORY"]
    repository = "#{ENV.fetch("GITHUB_SERVER_URL")}/#{ENV["GITHUB_REPOSITORY"]}"
    source = "#{repository}/blob/v#{spec.version}"
    spec.homepage = repository
    spec.metadata.merge!(
      "homepage_uri" => repository,
      "source_code_uri" => "#{repository}/tree/v#{spec.version}",
      "changelog_uri" => "#{source}/CHANGELOG.md",
      "documentation_uri" => "#{source}/docs/README.md",
      "bug_tracker_uri" => "#{repository}/issues"
    )
  end
  # Files of a kind compress best beside each other.
  spec.files = Dir[
    "lib/{holdup,holdup-agent}.rb",
    "lib/holdup/{base,version,yabeda}.rb",
    "lib/holdup/{agent,capture,hooks,model,segment}/**/*.rb",
    "lib/holdup/agent/servers/awaited.txt",
    "lib/{generators,puma}/**/*.rb",
    "ext/**/*.{rb,c,h}",
    "sig/holdup.rbs",
    "{LICENSE.txt,README.md,CHANGELOG.md}"
  ].sort_by { |file| [File.extname(file), file] }
  # JRuby has no GVL to measure and no sqlite3: gems of its own (`HOLDUP_PLATFORM=java gem build`) install and
  # load there.
  java = RUBY_ENGINE == "jruby" || ENV["HOLDUP_PLATFORM"] == "java"
  spec.platform = "java" if java
  spec.extensions = ["ext/holdup/extconf.rb"] unless java
end

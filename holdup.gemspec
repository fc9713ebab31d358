# frozen_string_literal: true

require_relative "lib/holdup/version"

Gem::Specification.new do |spec|
  spec.name = "holdup"
  spec.version = Holdup::VERSION
  spec.authors = ["The Holdup authors"]
  spec.summary = "Who holds the GVL, who waits for it, and how many threads and processes you need"
  spec.description = "Measures where each request's and job's time goes (running, stalled on the GVL, io, " \
    "lock, sleep, native), explains who caused the stall, and sizes threads and processes from it. " \
    "Always on, in production."
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
  # Code and the licence; its page on RubyGems leads to all pages. Files of a kind compress best beside each
  # other.
  spec.files = Dir[
    "lib/**/*.{rb,yml,tt,erb,css,js,svg,txt}",
    "ext/**/*.{rb,c,h}",
    "exe/*",
    "sig/**/*.rbs",
    "docs/vocabulary.md", # `holdup mcp` reads it
    "LICENSE.txt"
  ].sort_by { |file| [File.extname(file), file] }
  spec.bindir = "exe"
  spec.executables = ["holdup"]
  # JRuby has no GVL to measure and no sqlite3: a gem of its own (`HOLDUP_PLATFORM=java gem build`) installs
  # and loads there.
  java = RUBY_ENGINE == "jruby" || ENV["HOLDUP_PLATFORM"] == "java"
  spec.platform = "java" if java
  spec.extensions = ["ext/holdup/extconf.rb"] unless java

  # Only the collector, the stores, the CLI and the dashboard load these; the half that runs inside the
  # application loads none.
  spec.add_dependency "zeitwerk", "~> 2.6"
  spec.add_dependency "sequel", "~> 5.80"
  spec.add_dependency "sqlite3", ">= 1.7", "< 3" unless java
  spec.add_dependency "i18n", "~> 1.14"
  spec.add_dependency "unicode-display_width", ">= 2.6", "< 4"
  # Only the dashboard.
  spec.add_dependency "erubi", "~> 1.11"
  spec.add_dependency "rack", ">= 2.2.4", "< 4"
  spec.add_dependency "roda", "~> 3.60"
  spec.add_dependency "tilt", "~> 2.1"
end

# frozen_string_literal: true

require "rbconfig"

module Holdup
  # The message of a collector without a library of its half, as under `holdup exec` in an application whose
  # Gemfile does not name Holdup. It must load nothing of that half.
  module MissingLibrary
    module_function

    def sentence(error, dir:, env:)
      bundle = env["BUNDLE_GEMFILE"].to_s
      ruby = RbConfig.ruby
      remedy = "run `gem install holdup` with this Ruby"
      unless bundle.empty?
        ruby = "#{ruby} with #{bundle}"
        remedy = "name holdup in that Gemfile, or start it without the bundle"
      end
      command = ["holdup collect", *(dir && "--dir #{dir}")].join(" ")
      "the collector can't run in #{ruby} (#{error.message}): #{remedy}. " \
        "Nothing is lost: measuring goes on, the segments stay in #{dir || "their folder"}, " \
        "and `#{command}` from any Ruby that has the gem carries them to the store"
    end
  end
end

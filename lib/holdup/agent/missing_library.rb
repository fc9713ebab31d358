# frozen_string_literal: true

require "rbconfig"

module Holdup
  # What a collector says where a library of its half is not on the load path, as under `holdup exec` in an
  # application whose Gemfile does not name Holdup. Nothing of that half may be needed to say so.
  module MissingLibrary
    module_function

    # @param error [LoadError]
    # @param dir [String, nil] folder of the segments; nil: the default one
    # @param env [Hash{String => String}] the environment
    # @return [String]
    def sentence(error, dir:, env:)
      bundle = env["BUNDLE_GEMFILE"].to_s
      place = bundle.empty? ? RbConfig.ruby : "#{RbConfig.ruby} with #{bundle}"
      in_bundle = "name holdup in that Gemfile, or start it without the bundle"
      remedy = bundle.empty? ? "run `gem install holdup` with this Ruby" : in_bundle
      command = ["holdup collect", *(dir && "--dir #{dir}")].join(" ")
      "the collector can't run in #{place} (#{error.message}): #{remedy}. Nothing is lost: measuring goes on, " \
        "the segments stay in #{dir || "their folder"}, and `#{command}` from any Ruby that has the gem carries " \
        "them to the store"
    end
  end
end

# frozen_string_literal: true

require "rbconfig"

module Holdup
  module Lab
    class Jobs
      # How the Sidekiq of the experiment is started. `command`: without -c and -q; `folder`: where it runs,
      # nil for one that goes away; `env`: added to ours
      Program = Data.define(:command, :folder, :env) do
        def initialize(command:, folder: nil, env: {})
          super
        end

        # @return [Program] with the lab's own jobs
        # @raise [UnsupportedError] there is no Sidekiq
        def self.own(env: {}, jobs: File.expand_path("mix.rb", __dir__))
          new(command: [RbConfig.ruby, SidekiqVcpu::Library.load, "-r", jobs], env:)
        end
      end
    end
  end
end

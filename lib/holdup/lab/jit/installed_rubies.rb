# frozen_string_literal: true

require "rbconfig"

module Holdup
  module Lab
    module Jit
      # The other Rubies of this machine that could run the command: those that lie beside ours, which is how
      # rbenv, asdf, mise, chruby and ruby-install keep them, and those on PATH. One of each version, the
      # oldest first; it has a YJIT, and the gems of this folder.
      class InstalledRubies
        # @param env [Hash{String => String}] the environment
        # @param ours [String] path of the Ruby that runs now
        def initialize(env, ours: RbConfig.ruby)
          @env = env
          @ours = ours
        end

        # @return [Array<OtherRuby>] at least one
        # @raise [UsageError] there is none, and why
        def call
          raise refusal("there is none beside #{@ours} or on PATH") if others.empty?
          others.select { |ruby| ruby.gems?(@env) }.tap { |usable|
            raise refusal("#{lacking}: `bundle check` fails") if usable.empty?
          }
        end

        private

        def others
          @others ||= paths.filter_map { |path|
            version(path)&.then { |version|
              OtherRuby.new(path:,
                version:, variables: {})
            }
          }
            .reject { |ruby| ruby.version == RUBY_VERSION }.uniq(&:version).sort_by { |ruby|
            Gem::Version.new(ruby.version)
          }
        end

        def paths
          [*beside,
            *@env["PATH"].to_s.split(":").map { |folder|
              File.join(folder,
                "ruby")
            }].select { |path| File.file?(path) && File.executable?(path) }.uniq
        end

        # .../versions/3.4.5/bin/ruby and its neighbours.
        def beside
          Dir[File.expand_path("../../../*/bin/ruby", @ours)].sort
        end

        def version(path)
          OtherRuby.told(path)
        rescue SystemCallError
          nil
        end

        def lacking
          "#{others.map { |ruby| "#{ruby.path} (#{ruby.version})" }.join(", ")} can't run what is in this folder"
        end

        def refusal(reason)
          UsageError.new("--ruby installed finds no other Ruby: #{reason}",
            "give one with what it needs: --ruby /opt/ruby/bin/ruby,BUNDLE_PATH=vendor/other")
        end
      end
    end
  end
end

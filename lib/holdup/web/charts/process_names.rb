# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # What processes are called beside each other. One that took another's place, such as a restarted
      # worker, has its name too: then both have their pid, or nobody could tell them apart.
      class ProcessNames
        # @param processes [Array<#host, #server, #name, #pid>]
        # @param words [View::Words]
        # @param hosts [Boolean] whether hosts are a part of it
        def initialize(processes, words:, hosts: false)
          @hosts = hosts
          @words = words
          @taken = processes.map { |process| plain(process) }.tally
        end

        # @param process [#host, #server, #name, #pid]
        # @return [String]
        def call(process)
          name = plain(process)
          (@taken.fetch(name, 1) > 1) ? "#{name} (pid #{process.pid})" : name
        end

        # @return [String] of its host alone
        def host(process)
          @words.call(:host, name: View::Width.clean(process.host.to_s))
        end

        private

        def plain(process)
          name = View::Width.clean([process.server, process.name].compact.join(" "))
          @hosts ? @words.call(:process_of_host, host: View::Width.clean(process.host.to_s),
            process: name) : name
        end
      end
    end
  end
end

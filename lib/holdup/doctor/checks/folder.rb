# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # The folder of the segments: there, ours, and in memory (writing to a mapped file on a disk can block a
      # request).
      module Folder
        def self.call(host)
          case host.dir_state
          when :missing then CheckResult.warn(:folder_missing, dir: host.dir)
          when :unreadable then CheckResult.fail(:folder_unreadable, dir: host.dir)
          else (host.tmpfs == false) ? CheckResult.warn(:folder_on_disk,
            dir: host.dir) : CheckResult.ok(:folder, dir: host.dir)
          end
        end
      end
    end
  end
end

# frozen_string_literal: true

require "open3"

# Starts commands in a process table of their own, as in another container.
module PidNamespace
  # The process of that name space is PID 1, and dies with its parent.
  UNSHARE = %w[unshare --pid --fork --kill-child --mount-proc].freeze
  AS_USER = %w[--user --map-current-user].freeze

  # @return [Array<String>, nil] what starts a command there; nil where none can be made
  def self.command
    return @command if defined?(@command)
    ways = [UNSHARE, UNSHARE + AS_USER, UNSHARE.first(1) + AS_USER + UNSHARE.drop(1)]
    @command = ways.find { |way| Open3.capture2e(*way, "true").last.success? }
  rescue Errno::ENOENT
    @command = nil
  end
end

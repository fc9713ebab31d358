# frozen_string_literal: true

require_relative "capture/event_log"
